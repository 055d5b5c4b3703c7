/** Tests that the names of all objects of a service fit, with the longest prefix and the highest id. */
import { expect, it } from 'vitest'
import { getMaintenanceName, getServiceName } from '#server/drivers/hosting/docker/engine/object-names.ts'
import { getContentName, getDatabaseName } from '#server/drivers/hosting/docker/services/service-objects.ts'
import { readDocker, readRefusal } from '#tests/support/hosting/docker-settings.ts'

const ref = { serviceId: Number.MAX_SAFE_INTEGER, code: 'a'.repeat(16) }

it('fit into the limits of the engine and of PostgreSQL', () => {
  const longestPrefix = `p${'-'.repeat(18)}x`
  const { prefix } = readDocker({ DOCKER_PREFIX: longestPrefix })
  expect(prefix).toBe(longestPrefix)
  expect(readRefusal({ DOCKER_PREFIX: `${longestPrefix}x` })).toContain('at most 20')
  const contentNames = (['token', 'apps', 'database'] as const).map((kind) => getContentName(prefix, ref, kind, ''))
  // https://github.com/moby/swarmkit/blob/master/manager/controlapi/common.go: 63 for services, 64 for secrets and configs.
  for (const name of [getServiceName(prefix, ref), getMaintenanceName(prefix, ref), ...contentNames])
    expect(name).toMatch(/^[a-z0-9](?:[-_.a-z0-9]{0,61}[a-z0-9])?$/)
  // https://www.postgresql.org/docs/17/sql-syntax-lexical.html#SQL-SYNTAX-IDENTIFIERS
  expect(getDatabaseName(prefix, ref)).toMatch(/^[a-z0-9_]{1,63}$/)
})
