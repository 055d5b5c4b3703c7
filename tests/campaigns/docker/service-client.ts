/** Uses and observes the hosted services of a portal, over HTTP only. */
import { setTimeout as wait } from 'node:timers/promises'
import type { ServiceResponse } from '#server/use-cases/hosting/service-rows.ts'
import { type StaffClient, waitForOutcome } from '#tests/campaigns/services.ts'
import { sendRequest } from '#tests/support/hosting/hosting.ts'

export interface ServiceClient {
  readAll(): Promise<ServiceResponse[]>
  read(code: string): Promise<ServiceResponse>
  /** Sends a request for a long operation. Returns the path of its state, or the refusal. */
  begin(method: 'POST' | 'DELETE', path: string): Promise<{ location: string } | { refusal: string }>
  /** Runs an operation to its end. Returns its status and body as text. */
  operate(method: 'POST' | 'DELETE', path: string): Promise<{ status: number; text: string }>
  /** Returns the row and the elapsed ms. Throws with the last row after `timeoutMs`. */
  waitForRow(
    code: string,
    description: string,
    isReached: (row: ServiceResponse) => boolean,
    timeoutMs: number,
  ): Promise<{ row: ServiceResponse; ms: number }>
  /** Whether the service answers through the gateway of the portal. */
  answers(row: Pick<ServiceResponse, 'url'>): Promise<boolean>
}

/** The API refuses longer pages. */
const maxPageRows = 50

export function createServiceClient(staff: StaffClient): ServiceClient {
  async function readAll(): Promise<ServiceResponse[]> {
    const rows: ServiceResponse[] = []
    for (let page = 1; ; page++) {
      const response = await staff.send(`/api/aws/service?results=${maxPageRows}&page=${page}`)
      const body = ((await response?.json().catch(() => null)) ?? {}) as { data?: ServiceResponse[] }
      // A refusal has data too: its reasons.
      if (response?.status !== 200 || !body.data)
        throw new Error(`the list of services returned ${response?.status ?? 'no response'}`)
      rows.push(...body.data)
      if (body.data.length < maxPageRows) return rows
    }
  }
  async function read(code: string): Promise<ServiceResponse> {
    const response = await staff.send(`/api/aws/service?searchText=${code}`)
    const { data } = ((await response?.json()) ?? {}) as { data?: ServiceResponse[] }
    const row = data?.find((candidate) => candidate.code === code)
    if (!row) throw new Error(`${code} is not listed`)
    return row
  }
  const client: ServiceClient = {
    readAll,
    read,
    async begin(method, path) {
      const response = await staff.send(path, { method })
      const location = response?.headers.get('location') ?? null
      if (location !== null) return { location }
      return { refusal: `${response?.status ?? 'no response'} ${(await response?.text()) ?? ''}` }
    },
    async operate(method, path) {
      const result = await client.begin(method, path)
      if ('refusal' in result) return { status: Number.parseInt(result.refusal) || 0, text: result.refusal }
      const status = await waitForOutcome(staff, result.location)
      return { status, text: (await (await staff.send(result.location))?.text()) ?? '' }
    },
    async waitForRow(code, description, isReached, timeoutMs) {
      const startedAt = performance.now()
      for (;;) {
        const row = await read(code)
        const ms = Math.round(performance.now() - startedAt)
        if (isReached(row)) return { row, ms }
        if (ms > timeoutMs)
          throw new Error(`not within ${timeoutMs} ms: ${description}. The row is ${describeRow(row)}`)
        await wait(100)
      }
    },
    answers: ({ url }) =>
      url === null
        ? Promise.resolve(false)
        : sendRequest(url, '/sign-in').then(
            ({ status }) => status === 200,
            () => false,
          ),
  }
  return client
}

/** An operation without a result ends as 204. */
export const isSuccess = (status: number): boolean => status === 200 || status === 204

export const describeRow = (row: ServiceResponse): string =>
  JSON.stringify({
    status: row.system_status,
    online: row.online,
    tasks: row.running_tasks,
    memory: row.running_memory,
    fault: row.fault,
    deploymentFault: (row as { deployment_fault?: string | null }).deployment_fault,
    operation: row.operation,
  })

/** The rows of the demo have other addresses until the portal has created their services. */
export const isOnline = (row: ServiceResponse): boolean =>
  row.operation === null && row.online === 1 && row.system_status === 2 && row.url?.includes('.localhost:') === true
