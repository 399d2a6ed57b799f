import jax
jax.config.update("jax_enable_x64", True)

def energy(k, c):
    h = 0.05

    def step(_, state):
        x, v = state
        xm = x + 0.5*h*v
        vm = v + 0.5*h*(-k*x - c*v)
        return x + h*vm, v + h*(-k*xm - c*vm)

    x, v = jax.lax.fori_loop(0, 100, step, (1.0, 0.0))
    return 0.5*(k*x**2 + v**2)

value, gradient = jax.value_and_grad(energy, argnums=(0, 1))(1.3, 0.1)
print(value, *gradient)
