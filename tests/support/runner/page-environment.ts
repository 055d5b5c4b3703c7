/**
 * A simulated DOM in which a server runs as well: what both have stays Node's own, and so do locks, which pages that follow one
 * another share as tabs do. Modules are those for Node, because the server finds its files beside them.
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
    // The process ends with its file; until then pages that are gone still run, as tabs do.
    return { teardown() {} }
  },
} satisfies Environment
