/** Names of the instance contract (docs/instance.md). */
export const contractVersion = 1

/** Content type of the data. */
export const dataType = 'application/x-ndjson'

const root = '/control/v1'

export const contractPaths = {
  health: '/health',
  root,
  password: `${root}/admin-password`,
  data: `${root}/data`,
  drafts: `${root}/drafts`,
  packages: `${root}/packages`,
  keepPackages: `${root}/packages/keep`,
} as const

export const isDraftId = (value: unknown): value is string => typeof value === 'string' && /^[\w-]{1,100}$/.test(value)
