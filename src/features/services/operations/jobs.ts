/** Reads this user's jobs on services from the job rows on the device. Some have created a password to display. */
import { type JobActivity, readActivity } from '#local/jobs/read-jobs.ts'
import type { ServiceOperation, ServiceRow } from '#contract/services.ts'
import { useLiveQuery } from '#state/live-query.ts'

export type ServiceJob = Pick<
  JobActivity,
  'intent' | 'endpoint' | 'input' | 'isOpen' | 'state' | 'percent' | 'answer' | 'since'
>

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

/** Endpoints that create a password (D43). */
const passwordEndpoints = ['createService', 'resetServicePassword']

const isServiceJob = ({ endpoint }: JobActivity) => endpoint in operations

async function readServiceJobs(): Promise<ServiceJob[]> {
  return (await readActivity()).filter(isServiceJob)
}

/** Returns the jobs, latest first. Returns undefined until the device has been read. */
export const useServiceJobs = (): ServiceJob[] | undefined => useLiveQuery(readServiceJobs, [])

type ServiceIds = Pick<ServiceRow, 'id' | 'contract_id'>

type ServiceJobRequest = Pick<ServiceJob, 'endpoint' | 'input' | 'answer'>
type ServiceJobInput = {
  params?: { id?: number }
  query?: { serviceId?: number; contractId?: number }
  body?: { service_id?: number }
}

/** Returns the id of a job's service, or null if it is not known. For a creation the id is in the response. */
export function getServiceId({ endpoint, input, answer }: ServiceJobRequest): number | null {
  if (endpoint === 'createService') return parseCreatedId(answer)
  const { params, query, body } = input as ServiceJobInput
  return params?.id ?? query?.serviceId ?? body?.service_id ?? null
}

const parseCreatedId = (response: ServiceJob['answer']): number | null =>
  (response?.body ? (JSON.parse(response.body) as { id?: number } | null)?.id : null) ?? null

/** A job that creates a service has no service id until the response. Until then, the id of its contract is compared. */
function isJobOfService(job: ServiceJobRequest, row: ServiceIds): boolean {
  const id = getServiceId(job)
  return id === null ? (job.input as ServiceJobInput).query?.contractId === row.contract_id : id === row.id
}

export const findOpenJob = (jobs: readonly ServiceJob[] | undefined, row: ServiceIds): ServiceJob | null =>
  jobs?.find((job) => job.isOpen && isJobOfService(job, row)) ?? null

/** Returns the latest job whose password has not been displayed on this device. */
export const findPasswordJob = (jobs: readonly ServiceJob[] | undefined, row: ServiceIds): ServiceJob | null =>
  jobs?.find((job) => job.state === 'done' && passwordEndpoints.includes(job.endpoint) && isJobOfService(job, row)) ??
  null

export const getOperation = ({ endpoint }: ServiceJob): ServiceOperation | null => operations[endpoint] ?? null
