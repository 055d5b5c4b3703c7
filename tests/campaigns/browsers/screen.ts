/** Starts a virtual screen for browsers that need one. */
import { once } from 'node:events'
import { spawn } from 'node:child_process'

export interface VirtualScreen {
  /** Value of the environment variable DISPLAY. */
  display: string
  close(): Promise<void>
}

export async function openScreen(): Promise<VirtualScreen> {
  // Xvfb chooses a free display number and writes it to descriptor 3.
  const args = ['-displayfd', '3', '-screen', '0', '1600x1200x24', '-nolisten', 'tcp', '-ac']
  const child = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  const displayOutput = await Promise.race([
    once(child.stdio[3] as NodeJS.ReadableStream, 'data'),
    once(child, 'exit').then(() => null),
  ])
  if (!displayOutput) throw new Error('Xvfb did not start')
  return {
    display: `:${String(displayOutput[0]).trim()}`,
    async close() {
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      await exit
    },
  }
}
