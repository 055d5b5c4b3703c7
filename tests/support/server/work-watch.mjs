/**
 * Prints measurements of a campaign's server at each SIGUSR2: its processor time, the delays of its event loop since the last output, and
 * the processor time after a garbage collection. Loaded before the server.
 */
import { writeSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import v8 from 'node:v8'
import vm from 'node:vm'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  v8.setFlagsFromString('--expose-gc')
  const collectGarbage = vm.runInNewContext('gc')
  const delays = monitorEventLoopDelay({ resolution: 10 })
  delays.enable()
  const usedMs = () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
  process.on('SIGUSR2', () => {
    const before = usedMs()
    const delay = { p99: delays.percentile(99) / 1e6, longest: delays.max / 1e6 }
    collectGarbage()
    delays.reset()
    writeSync(1, `${JSON.stringify({ watched: { before, after: usedMs(), ...delay } })}\n`)
  })
}
