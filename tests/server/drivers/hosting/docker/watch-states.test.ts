/** Tests how often the states of services are read. */
import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { EngineApi } from '#server/drivers/hosting/docker/engine/engine-api.ts'
import { watchStates } from '#server/drivers/hosting/docker/watch-states.ts'
import type { DockerContext } from '#server/drivers/hosting/docker/services/docker-context.ts'

/** An engine without services that counts the readings. */
function createContext(events: PassThrough) {
  const counts = { readings: 0 }
  const listNothing = async () => []
  const api = {
    listServices: listNothing,
    listTasks: listNothing,
    readNodes: async () => new Map(),
    openEvents: async () => Object.assign(events, { socket: { unref: () => undefined } }),
  } as unknown as EngineApi
  const context = {
    api,
    records: {
      async list() {
        counts.readings += 1
        return []
      },
    },
    settings: {
      prefix: 'portal',
      clock: Date.now,
      gateway: { setRoutes: () => undefined },
      log: { warn: expect.fail },
    },
  } as unknown as DockerContext
  return { context, counts }
}

it('reads the states also while services end and start all the time', async () => {
  const events = new PassThrough()
  const { context, counts } = createContext(events)
  const watch = watchStates(context)
  const event = JSON.stringify({ Type: 'container', Action: 'die', Actor: { Attributes: { 'portal.name': 'portal' } } })
  // More often than the delay with which a group of events is awaited.
  const timer = setInterval(() => events.write(`${event}\n`), 10)
  try {
    // Without events there are at most four readings in this time.
    await expect.poll(() => counts.readings).toBeGreaterThan(4)
  } finally {
    clearInterval(timer)
    watch.close()
  }
})

it('reads the states after an event, although somebody else gives an earlier reading', async () => {
  const { context, counts } = createContext(new PassThrough())
  const watch = watchStates(context)
  await expect.poll(() => counts.readings).toBe(1)
  await setImmediate()
  watch.refresh()
  watch.useSnapshot({ records: [], services: [], inputs: [] })
  await expect.poll(() => counts.readings, { timeout: 4000 }).toBe(2)
  watch.close()
})
