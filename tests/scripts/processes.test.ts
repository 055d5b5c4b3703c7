import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { listProcesses } from '#tests/support/runner/processes.ts'

const modulePath = fileURLToPath(new URL('../support/runner/processes.ts', import.meta.url))
/** Starts a process in a group of its own that ignores SIGTERM, and one that does not. */
const script = `
  const { endDescendantsOnSignal } = await import(${JSON.stringify(modulePath)})
  const { spawn } = await import('node:child_process')
  endDescendantsOnSignal(300)
  const start = (code) => spawn(process.execPath, ['-e', code], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const children = [
    start("console.log('ready'); setInterval(() => {}, 1000)"),
    start("process.on('SIGTERM', () => {}); console.log('ready'); setInterval(() => {}, 1000)"),
  ]
  for (const { stdout } of children) await new Promise((resolve) => stdout.once('data', resolve))
  console.log(children.map(({ pid }) => pid).join(' '))
`

test('A campaign that is interrupted leaves no process behind', async () => {
  const campaign = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(campaign.stdout, 'data')) as [Buffer]
  const pids = line.toString().trim().split(' ').map(Number)
  const listRunning = () => listProcesses().filter(({ pid, command }) => command !== '' && pids.includes(pid))
  expect(listRunning()).toHaveLength(2)
  campaign.kill('SIGTERM')
  expect(await once(campaign, 'exit')).toEqual([143, null])
  await expect.poll(listRunning, { timeout: 5_000 }).toEqual([])
})
