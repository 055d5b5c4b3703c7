/** Stops the portals one after the other while a signed-in customer reads and writes through nginx. No request may fail. */
import { setTimeout as wait } from 'node:timers/promises'
import { inspect } from 'node:util'
import type { Page } from 'playwright-core'
import { type Installation, timeZone } from '#tests/campaigns/compose/installation.ts'

export interface LoadResult {
  requests: number
  /** One line per failed request. */
  faults: string[]
}

const callers = 6
/** Pause of a caller between two requests. The callers together stay below the limits of one user. */
const pauseMs = 400

interface Load {
  stop(): Promise<LoadResult>
}

function startLoad(url: string, accessToken: string): Load {
  const result: LoadResult = { requests: 0, faults: [] }
  let isStopped = false
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' }
  /** Returns the body, or null if the request failed. */
  async function call(description: string, path: string, init: RequestInit): Promise<string | null> {
    result.requests++
    try {
      const response = await fetch(url + path, init)
      const text = await response.text()
      if (response.ok) return text
      result.faults.push(`${description}: ${response.status} ${text.slice(0, 200)}`)
    } catch (error) {
      result.faults.push(`${description}: ${inspect(error)}`)
    }
    return null
  }
  const createWrite = (method: string, body?: object): RequestInit => ({
    method,
    headers: { ...headers, 'idempotency-key': crypto.randomUUID() },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  /** Creates an order and deletes it. If the order was acknowledged and lost, the deletion fails. */
  async function orderAndDelete(code: string): Promise<void> {
    const text = await call(`order ${code}`, '/api/sorder', createWrite('POST', { ...orderInput, code, name: code }))
    if (text === null) return
    const { id } = JSON.parse(text) as { id: number }
    await call(`delete the order ${code}`, `/api/sorder/${id}`, createWrite('DELETE'))
  }
  let orders = 0
  const requests = [
    () => call('the public page', '/', {}),
    () => call('the user', '/api/m18s/user', { headers }),
    () => orderAndDelete(`load${++orders}`),
  ]
  const loops = Array.from({ length: callers }, async (_, index) => {
    for (; !isStopped; await wait(pauseMs)) await requests[index % requests.length]?.()
  })
  return {
    async stop() {
      isStopped = true
      await Promise.all(loops)
      return result
    },
  }
}

const orderInput = {
  currency: 'HKD',
  user_mode: 'CONCURRENT',
  users: 10,
  modules: ['core'],
  period: 1,
  period_start: new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date()),
}

/** `page` belongs to a customer that is signed in. */
export async function stopPortalsUnderLoad(installation: Installation, page: Page): Promise<LoadResult> {
  const cookies = await page.context().cookies()
  const accessToken = cookies.find(({ name }) => name.endsWith('portal-access'))?.value ?? ''
  const load = startLoad(installation.url, accessToken)
  for (const service of ['portal-1', 'portal-2']) {
    await wait(3000)
    installation.compose('stop', service)
    await wait(3000)
    installation.compose('start', service)
    await installation.waitUntilHealthy(service)
  }
  return load.stop()
}
