import jax, jax.numpy as jnp
jax.config.update("jax_enable_x64", True)

def misfit(z, c):
    return jnp.abs(z**2 - c)**2

value, gradient = jax.value_and_grad(misfit)(0.6 + 0.8j, 1 - 2j)
gradient = jnp.conj(gradient)  # JAX gives the conjugate of the steepest ascent
print(value, gradient.real, gradient.imag)
