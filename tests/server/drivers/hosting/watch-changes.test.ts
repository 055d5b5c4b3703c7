/** Tests which messages of its supervisor the portal accepts. */
import { once } from 'node:events'
import { mkdtempSync, mkdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import { getControlSocket } from '#server/drivers/hosting/local/run-folder.ts'
import type { ControlClient } from '#server/drivers/hosting/local/supervisor/control-client.ts'
import { watchChanges } from '#server/drivers/hosting/local/supervisor/watch-changes.ts'
import { expectNothingUncaught } from '#tests/support/runner/uncaught.ts'

expectNothingUncaught()

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portal-watch-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it.each([
  ['a line that is not JSON', 'no change\n'],
  ['an endless line', 'x'.repeat(20_000)],
])('watchChanges continues after a broken supervisor sends %s (fault 1n)', async (_, brokenLine) => {
  const socket = getControlSocket(folder)
  mkdirSync(dirname(socket), { recursive: true })
  let connections = 0
  const supervisor = createServer((_request, response) => {
    connections += 1
    response.write(connections === 1 ? brokenLine : '{"code":"acme","serviceId":7}\n')
  })
  supervisor.listen(socket)
  await once(supervisor, 'listening')
  const client = { ensure: async () => undefined, call: async () => [] } as unknown as ControlClient
  const changedRefs: InstanceRef[] = []
  const warnings: unknown[] = []
  const unsubscribe = watchChanges({
    client,
    folder,
    isEmpty: () => false,
    log: { warn: (...args: unknown[]) => void warnings.push(args) },
    onChange: (ref) => void changedRefs.push(ref),
    endSignal: new AbortController().signal,
  })
  try {
    await expect.poll(() => changedRefs, { timeout: 5_000 }).toEqual([{ code: 'acme', serviceId: 7 }])
    expect(warnings).toHaveLength(1)
  } finally {
    unsubscribe()
    supervisor.closeAllConnections()
    supervisor.close()
  }
})
