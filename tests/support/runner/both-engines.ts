/** Global set-up of the server tests: creates the databases of both engines in parallel. */
import type { TestProject } from 'vitest/node'
import setUpCluster from '#tests/support/runner/postgres-cluster.ts'
import setUpTemplate from '#tests/support/runner/template.ts'

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cleanups = await Promise.all([setUpCluster(project), setUpTemplate()])
  return async () => {
    await Promise.all(cleanups.map((cleanUp) => cleanUp()))
  }
}
