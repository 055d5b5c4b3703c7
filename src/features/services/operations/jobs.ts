/** Long requests of this user that touch a service, as their rows on the device tell: how far they are, and which have a password to show. */
import { type JobActivity, readActivity } from '#local/jobs/read-jobs.ts'
import type { ServiceOperation, ServiceRow } from '#contract/services.ts'
import { useLiveQuery } from '#state/live-query.ts'

export type ServiceJob = Pick<
  JobActivity,
  'intent' | 'endpoint' | 'input' | 'isOpen' | 'state' | 'percent' | 'answer' | 'since'
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
const passwordEndpoints = ['createService', 'resetServicePassword']

const isServiceJob = ({ endpoint }: JobActivity) => endpoint in operations

async function readServiceJobs(): Promise<ServiceJob[]> {
  return (await readActivity()).filter(isServiceJob)
}

/** The newest first. Undefined until the device has answered. */
export const useServiceJobs = (): ServiceJob[] | undefined => useLiveQuery(readServiceJobs, [])

type ServiceIds = Pick<ServiceRow, 'id' | 'contract_id'>

type ServiceJobRequest = Pick<ServiceJob, 'endpoint' | 'input' | 'answer'>
type ServiceJobInput = {
  params?: { id?: number }
  query?: { serviceId?: number; contractId?: number }
  body?: { service_id?: number }
}

/** Which service one is about; null: it does not say (yet): the creation of one says it as it answers. */
export function getServiceId({ endpoint, input, answer: response }: ServiceJobRequest): number | null {
  const { params, query, body } = input as ServiceJobInput
  if (endpoint !== 'createService') return params?.id ?? query?.serviceId ?? body?.service_id ?? null
  return (response?.body ? (JSON.parse(response.body) as { id?: number } | null)?.id : null) ?? null
}

/** The creation is about the service of its contract, until it has answered. */
function isJobOfService(job: ServiceJobRequest, row: ServiceIds): boolean {
  const id = getServiceId(job)
  return id === null ? (job.input as ServiceJobInput).query?.contractId === row.contract_id : id === row.id
}

/** What this device has begun and is on its way. */
export const findOpenJob = (jobs: readonly ServiceJob[] | undefined, row: ServiceIds): ServiceJob | null =>
  jobs?.find((job) => job.isOpen && isJobOfService(job, row)) ?? null

/** The newest that has made a password which nobody has looked at here. */
export const findPasswordJob = (jobs: readonly ServiceJob[] | undefined, row: ServiceIds): ServiceJob | null =>
  jobs?.find((job) => job.state === 'done' && passwordEndpoints.includes(job.endpoint) && isJobOfService(job, row)) ??
  null

/** As the server calls what one does. */
export const getOperation = ({ endpoint }: ServiceJob): ServiceOperation | null => operations[endpoint] ?? null
