import jax, jax.numpy as jnp
jax.config.update("jax_enable_x64", True)

X = jnp.array([[1, 0.5], [1, -1.5], [1, 2], [1, 0]])
y = jnp.array([1.0, 0.0, 1.0, 0.0])

def nll(w):
    z = X @ w
    return jnp.sum(jax.nn.softplus(z) - y*z)

value, gradient = jax.value_and_grad(nll)(jnp.array([0.1, 0.8]))
print(value, *gradient)
