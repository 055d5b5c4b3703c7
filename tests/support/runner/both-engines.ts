/** vitest's global set-up of the server's tests: the databases of both engines, made side by side. */
import type { TestProject } from 'vitest/node'
import setUpCluster from '#tests/support/runner/postgres-cluster.ts'
import setUpTemplate from '#tests/support/runner/template.ts'

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cleanups = await Promise.all([setUpCluster(project), setUpTemplate()])
  return async () => {
    await Promise.all(cleanups.map((cleanUp) => cleanUp()))
  }
}
