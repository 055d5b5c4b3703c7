/** The order of the files of a project: the longest first, so that none is left alone at the end with one of two cores idle. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Where no run was measured before, vitest goes by a file's size: these take longer than theirs says, the longest first. */
const long = [
  'uploads/uploads',
  'services/hostile-pictures',
  'features/apps/upload-queue',
  'write/kill',
  'services/paying-killed',
  'server/main',
  'uploads/tus',
  'input/multipart',
  'packages/read-package',
  'accounts/assets',
  'server/postgres-setup',
  'outbox-model/crash',
  'jobs/start-job',
  'jobs/dump-database',
  'write/lost-answers',
  'db/embedded',
  'db/damage',
  'features/users/users',
  'prices/prices',
  'detail/contract',
  'outbox/outbox',
  'apps/history',
  'e2e/sweep-inside',
  'e2e/apps',
  'e2e/prices',
  'e2e/sweep-outside',
  'e2e/faults',
  'e2e/orders-detail',
  'e2e/orders-wizard',
  'e2e/shell',
  'e2e/offline-pages',
  'e2e/offline-users',
  'e2e/outbox',
  'e2e/journeys',
  'e2e/users',
]

const rankOf = ({ moduleId }: TestSpecification) => {
  const at = long.findIndex((name) => moduleId.includes(`${name}.`))
  return at < 0 ? long.length : at
}

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project.name)
    return [...byProject.values()].flatMap((of) => of.toSorted((a, b) => rankOf(a) - rankOf(b)))
  }
}
