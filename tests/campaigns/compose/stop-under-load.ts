/** Stops the portals one after the other while a signed-in customer reads and writes through nginx. No request may fail. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { Installation } from '#tests/campaigns/compose/installation.ts'

export interface LoadResult {
  requests: number
  /** Orders that the portal acknowledged. */
  orderCodes: string[]
  /** One line per failed request. */
  faults: string[]
}

const callers = 6
/** Pause of a caller between two requests. The callers together stay below the limits of one user. */
const pauseMs = 500

interface Load {
  result: LoadResult
  stop(): Promise<LoadResult>
}

function startLoad(url: string, accessToken: string): Load {
  const result: LoadResult = { requests: 0, orderCodes: [], faults: [] }
  let isStopped = false
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' }
  async function call(description: string, path: string, init: RequestInit = {}): Promise<boolean> {
    result.requests++
    try {
      const response = await fetch(url + path, init)
      const text = await response.text()
      if (response.ok) return true
      result.faults.push(`${description}: ${response.status} ${text.slice(0, 200)}`)
    } catch (error) {
      result.faults.push(`${description}: ${error instanceof Error ? `${error.message} ${error.cause}` : error}`)
    }
    return false
  }
  async function order(number: number): Promise<void> {
    const code = `load${number}`
    const body = JSON.stringify({
      code,
      name: code,
      currency: 'HKD',
      user_mode: 'CONCURRENT',
      users: 10,
      modules: ['core'],
      period: 1,
      period_start: new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Hong_Kong' }).format(new Date()),
    })
    const init = { method: 'POST', headers: { ...headers, 'idempotency-key': crypto.randomUUID() }, body }
    if (await call(`order ${code}`, '/api/sorder', init)) result.orderCodes.push(code)
  }
  let orders = 0
  const requests = [
    () => call('the page', '/saas/'),
    () => call('the user', '/api/m18s/user', { headers }),
    () => order(++orders),
  ]
  const loops = Array.from({ length: callers }, async (_, index) => {
    for (; !isStopped; await wait(pauseMs)) await requests[index % requests.length]?.()
  })
  return {
    result,
    async stop() {
      isStopped = true
      await Promise.all(loops)
      return result
    },
  }
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
