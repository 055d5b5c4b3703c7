import type { ChildProcess } from 'node:child_process'

const startTimeoutMs = 30_000

/**
 * Returns the address on which a starting browser listens. The browser prints it to standard error, and the first group of `pattern`
 * matches it.
 */
export function waitForAddress(child: ChildProcess, pattern = /DevTools listening on (ws:\S+)/): Promise<string> {
  let output = ''
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(`the browser ${reason}:\n${output}`))
    const timer = setTimeout(() => fail('did not start in time'), startTimeoutMs)
    child.stderr?.on('data', (chunk: Buffer) => {
      output += chunk
      const [, address] = pattern.exec(output) ?? []
      if (!address) return
      clearTimeout(timer)
      resolve(address)
    })
    child.on('error', reject)
    child.on('exit', (code) => fail(`ended with ${code}`))
  })
}
