/** The mixed load of the campaign: writes, lists, orders with payments, long requests, uploads, sign-ins and pages, all at the same time. */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Caller, createCaller, type LoadReport } from '#tests/campaigns/cluster/caller.ts'
import { loadPage } from '#tests/campaigns/cluster/pages.ts'
import { buildNoise, packBareApp } from '#tests/support/uploads/packages.ts'
import { uploadPiecemeal } from '#tests/support/uploads/tus.ts'

export interface LoadRecord {
  /** E-mail addresses of users whose creation was acknowledged, with the last acknowledged title. */
  users: Map<string, { id: number; title: number; version: number }>
  /** Ids of orders whose payment was acknowledged. */
  paidOrders: Set<number>
  /** Ids of uploads that the portal has received completely. */
  uploads: Set<string>
  finishedJobs: number
}

export const createLoadRecord = (): LoadRecord => ({
  users: new Map(),
  paidOrders: new Set(),
  uploads: new Set(),
  finishedJobs: 0,
})

export interface LoadOptions {
  url: string
  report: LoadReport
  record: LoadRecord
  signal: AbortSignal
}

const admin = 'acme:admin@acme.example'
const staff = 'm18:staff@m18.example'

/** Runs until the signal aborts. Each client then ends its current request. */
export async function runLoad(options: LoadOptions): Promise<void> {
  const clients = [
    ...Array.from({ length: 4 }, () => runClient(options, admin, writeUsers)),
    ...Array.from({ length: 3 }, () => runClient(options, admin, readLists)),
    ...Array.from({ length: 2 }, () => runClient(options, staff, orderAndPay)),
    runClient(options, staff, verifyTrail),
    runClient(options, staff, uploadPackage),
    runClient(options, admin, renewSession),
    runPages(options),
  ]
  await Promise.all(clients)
}

async function runClient(
  { url, report, record, signal }: LoadOptions,
  username: string,
  act: (caller: Caller, record: LoadRecord, report: LoadReport, url: string) => Promise<void>,
): Promise<void> {
  const caller = await createCaller(url, username, report)
  while (!signal.aborted) {
    await act(caller, record, report, url)
    await wait(50 + Math.random() * 150)
  }
}

/** Creates a user and changes it four times, each write with its own key. Each creation requests a mail. */
async function writeUsers(caller: Caller, record: LoadRecord, report: LoadReport): Promise<void> {
  const email = `c-${randomUUID()}@acme.example`
  const createdResponse = await caller.send('write', '/api/m18s/user', {
    method: 'POST',
    headers: { 'idempotency-key': randomUUID() },
    json: { title: 0, name: 'Of the campaign', email },
  })
  if (createdResponse.status !== 200) return void report.faults.push(`a user was refused: ${createdResponse.body}`)
  const { id, row_version: version } = JSON.parse(createdResponse.body) as { id: number; row_version: number }
  record.users.set(email, { id, title: 0, version })
  for (let change = 1; change <= 4; change++) {
    const title = change % 3
    const response = await caller.send('write', `/api/m18s/company-user/${id}`, {
      method: 'PUT',
      headers: { 'idempotency-key': randomUUID() },
      json: { title },
    })
    if (response.status !== 200) return void report.faults.push(`a change was refused: ${response.body}`)
    record.users.set(email, { id, title, version: version + change })
  }
}

async function readLists(caller: Caller, _record: LoadRecord, report: LoadReport): Promise<void> {
  const { body } = await caller.send('list', '/api/m18s/user')
  const { company_id: companyId } = JSON.parse(body) as { company_id: number }
  for (const path of [
    `/api/m18s/company/${companyId}/users?pageSize=50`,
    `/api/company/${companyId}/sorder`,
    '/api/systrail',
  ]) {
    const { status } = await caller.send('list', path)
    if (status !== 200) report.faults.push(`${path} returned ${status}`)
  }
}

/** Orders for a company and marks the order as paid, which creates an invoice. */
async function orderAndPay(caller: Caller, record: LoadRecord, report: LoadReport): Promise<void> {
  const { body: companies } = await caller.send('list', '/api/company?searchText=acme')
  const [company] = JSON.parse(companies) as { id: number }[]
  const ordered = await caller.send('order', '/api/sorder', {
    method: 'POST',
    headers: { 'idempotency-key': randomUUID() },
    json: {
      company_id: company?.id,
      code: `c${randomUUID().replaceAll('-', '').slice(0, 12)}`,
      name: 'Of the campaign',
      currency: 'HKD',
      user_mode: 'CONCURRENT',
      users: 10,
      modules: ['core'],
      period: 1,
      period_start: new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10),
    },
  })
  if (ordered.status !== 200) return void report.faults.push(`an order was refused: ${ordered.body}`)
  const { id } = JSON.parse(ordered.body) as { id: number }
  const paid = await caller.send('payment', `/api/payment/${id}`, {
    method: 'POST',
    form: { type: 'simulate', contractType: 'CONTRACT' },
  })
  if (paid.status === 200) record.paidOrders.add(id)
  // If the response of the first attempt was lost, a repeat finds that nothing is left to pay.
  else if (!/ALREADY|STATE_CONFLICT|NOT_FOUND/.test(paid.body))
    report.faults.push(`a payment was refused: ${paid.body}`)
}

async function verifyTrail(caller: Caller, record: LoadRecord, report: LoadReport): Promise<void> {
  const started = await caller.send('job', '/api/systrail/verify', {
    method: 'POST',
    headers: { 'idempotency-key': randomUUID() },
    json: { companyId: null },
  })
  const location = started.headers.get('location')
  if (started.status !== 202 || location === null) return void report.faults.push(`a job was refused: ${started.body}`)
  let response = started
  while (response.status === 202) {
    await wait(500)
    response = await caller.send('poll', location)
  }
  const { broken } = JSON.parse(response.body) as { broken?: unknown[] }
  if (response.status !== 200 || broken?.length !== 0)
    report.faults.push(`a job ended with ${response.status}: ${response.body}`)
  record.finishedJobs += 1
  await wait(5000)
}

async function uploadPackage(caller: Caller, record: LoadRecord, report: LoadReport, url: string): Promise<void> {
  const bytes = await packBareApp({ files: { 'data/large.bin': buildNoise(600_000) } })
  try {
    const address = await uploadPiecemeal(bytes, {
      url,
      token: caller.getToken,
      chunkSize: 100_000,
      retryDelays: Array.from({ length: 200 }, () => 500),
    })
    record.uploads.add(address.split('/').at(-1) ?? '')
  } catch (error) {
    report.faults.push(`an upload failed: ${String(error).slice(0, 300)}`)
  }
  await wait(3000)
  await caller.renew()
}

async function renewSession(caller: Caller): Promise<void> {
  await caller.renew()
  await caller.send('read', '/api/m18s/user')
  await wait(500)
}

async function runPages({ url, report, signal }: LoadOptions): Promise<void> {
  while (!signal.aborted) {
    await loadPage(url, report)
    await wait(300)
  }
}
