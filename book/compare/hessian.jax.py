import jax, jax.numpy as jnp
jax.config.update("jax_enable_x64", True)

def loss(x):
    return jax.nn.logsumexp(x) + 0.5*x @ x

x, v = jnp.array([0.1, -0.4, 0.7]), jnp.array([1.0, 2.0, -1.0])
product = jax.jvp(jax.grad(loss), (x,), (v,))[1]
print(loss(x), *product)
