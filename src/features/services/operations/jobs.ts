/** Long requests of this user that touch a service, as their rows on the device tell: how far they are, and which have a password to show. */
import { type Activity, readActivity } from '#local/jobs/read-jobs.ts'
import type { ServiceOperation, ServiceRow } from '#contract/services.ts'
import { useLiveQuery } from '#state/live-query.ts'

export type ServiceJob = Pick<
  Activity,
  'intent' | 'endpoint' | 'input' | 'open' | 'state' | 'percent' | 'answer' | 'since'
>

/** By endpoint, as the server calls what it does. */
const operations: Record<string, ServiceOperation> = {
  createService: 'create-service',
  updateService: 'update-service',
  removeService: 'remove-service',
  deleteService: 'delete-service',
  resetServicePassword: 'reset-service-password',
  rebootService: 'reboot-service',
  configureService: 'configure-service',
  restoreBackup: 'restore-backup',
}

/** Those that make a password (D43). */
const makeOne = ['createService', 'resetServicePassword']

const isOfServices = ({ endpoint }: Activity) => endpoint in operations

async function readServiceJobs(): Promise<ServiceJob[]> {
  return (await readActivity()).filter(isOfServices)
}

/** The newest first. Undefined until the device has answered. */
export const useServiceJobs = (): ServiceJob[] | undefined => useLiveQuery(readServiceJobs, [])

type Named = Pick<ServiceRow, 'id' | 'contract_id'>

type Asked = Pick<ServiceJob, 'endpoint' | 'input' | 'answer'>
type Given = {
  params?: { id?: number }
  query?: { serviceId?: number; contractId?: number }
  body?: { service_id?: number }
}

/** Which service one is about; null: it does not say (yet): the creation of one says it as it answers. */
export function serviceIdOf({ endpoint, input, answer }: Asked): number | null {
  const { params, query, body } = input as Given
  if (endpoint !== 'createService') return params?.id ?? query?.serviceId ?? body?.service_id ?? null
  return (answer?.body ? (JSON.parse(answer.body) as { id?: number } | null)?.id : null) ?? null
}

/** The creation is about the service of its contract, until it has answered. */
function isAbout(job: Asked, row: Named): boolean {
  const id = serviceIdOf(job)
  return id === null ? (job.input as Given).query?.contractId === row.contract_id : id === row.id
}

/** What this device has begun and is on its way. */
export const openJobOf = (jobs: readonly ServiceJob[] | undefined, row: Named): ServiceJob | null =>
  jobs?.find((job) => job.open && isAbout(job, row)) ?? null

/** The newest that has made a password which nobody has looked at here. */
export const passwordJobOf = (jobs: readonly ServiceJob[] | undefined, row: Named): ServiceJob | null =>
  jobs?.find((job) => job.state === 'done' && makeOne.includes(job.endpoint) && isAbout(job, row)) ?? null

/** As the server calls what one does. */
export const operationOf = ({ endpoint }: ServiceJob): ServiceOperation | null => operations[endpoint] ?? null
