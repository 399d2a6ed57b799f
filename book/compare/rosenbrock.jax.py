import jax, jax.numpy as jnp
jax.config.update("jax_enable_x64", True)

def rosenbrock(x):
    return jnp.sum(100*(x[1:] - x[:-1]**2)**2 + (1 - x[:-1])**2)

x = jnp.array([-1.2, 1.0, 0.5, 2.0])
value, gradient = jax.value_and_grad(rosenbrock)(x)
print(value, *gradient)
