/** Runs the longest files of a project first, so that no long file runs alone at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Names of files that take longer than their size suggests, longest first. Without an earlier measurement vitest orders files by size. */
const longNames = [
  'hosting/local',
  'use-cases/paying-killed',
  'write/kill',
  'composition/main',
  'tend-backups',
  'cli/backup',
  'use-cases/hostile-pictures',
  'input/parse',
  'file-store/s3',
  'hosting/operations',
  'uploads/uploads',
  'restore-backup',
  'rehearse-prices',
  'server/access',
  'traffic/histories',
  'cli/verify-proof',
  'input/multipart',
  'run-backup',
  'server/postgres-setup',
  'outbox-model/crash',
  'features/apps/upload-queue',
  'features/services/services',
  'backups/stored',
  'features/users/users',
  'prices/prices',
  'audit-trail/trail',
  'detail/contract',
  'e2e/sweep-outside',
  'e2e/sweep-inside',
  'e2e/faults',
  'e2e/offline-users',
  'e2e/outbox',
  'e2e/audit-proof',
  'e2e/journeys',
  'e2e/orders-wizard',
]

const getRank = ({ moduleId }: TestSpecification) => {
  const index = longNames.findIndex((name) => moduleId.includes(`${name}.`))
  return index < 0 ? longNames.length : index
}

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project.name)
    return [...byProject.values()].flatMap((specifications) =>
      specifications.toSorted((a, b) => getRank(a) - getRank(b)),
    )
  }
}
