/**
 * A simulated DOM in which a server runs too: globals that both have remain Node's own, and so do locks, which successive pages share like
 * tabs. Modules are resolved for Node, because the server loads files next to them.
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
    // The process ends with its file. Until then closed pages keep running, like tabs.
    return { teardown() {} }
  },
} satisfies Environment
