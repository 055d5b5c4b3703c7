/**
 * Provides a simulated DOM in which a server runs too. Globals that both Node and the DOM have are Node's own, and so are locks, which
 * successive pages share as tabs do. Modules are resolved for Node, because the server loads files next to them.
 */
import { builtinEnvironments, type Environment } from 'vitest/runtime'

const nodeGlobals = [
  'AbortController',
  'AbortSignal',
  'Blob',
  'File',
  'Headers',
  'Request',
  'Response',
  'URL',
  'URLSearchParams',
  'crypto',
  'fetch',
  'performance',
] as const

export default {
  name: 'page',
  viteEnvironment: 'ssr',
  async setup(global, options) {
    const nodeDescriptors = nodeGlobals.map((name) => [name, Object.getOwnPropertyDescriptor(global, name)] as const)
    const { locks } = navigator
    await builtinEnvironments['happy-dom'].setup(global, options)
    for (const [name, descriptor] of nodeDescriptors) if (descriptor) Object.defineProperty(global, name, descriptor)
    Object.defineProperty(navigator, 'locks', { value: locks })
    // The process ends with its test file. Until then closed pages keep running, as in tabs.
    return { teardown() {} }
  },
} satisfies Environment
