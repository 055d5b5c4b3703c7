/**
 * `npm run campaign -- <id> [arguments]` runs a test that takes too long for the suite or depends on real time. `nightly` runs all of them
 * and keeps a record, which `release` checks.
 */
import { run as auditTrail } from '#tests/campaigns/audit-trail.ts'
import { run as backups } from '#tests/campaigns/backups.ts'
import { run as bodies } from '#tests/campaigns/bodies.ts'
import { run as browser } from '#tests/campaigns/browser.ts'
import { run as browsers } from '#tests/campaigns/browsers.ts'
import { run as compose } from '#tests/campaigns/compose.ts'
import { run as cluster } from '#tests/campaigns/cluster.ts'
import { run as docker } from '#tests/campaigns/docker.ts'
import { run as faults } from '#tests/campaigns/faults.ts'
import { run as fees } from '#tests/campaigns/fees.ts'
import { run as histories } from '#tests/campaigns/histories.ts'
import { run as invitationFlood } from '#tests/campaigns/invitation-flood.ts'
import { run as judges } from '#tests/campaigns/judges.ts'
import { run as killWrites } from '#tests/campaigns/kill-writes.ts'
import { run as lighthouse } from '#tests/campaigns/lighthouse.ts'
import { run as money } from '#tests/campaigns/money.ts'
import { run as monkey } from '#tests/campaigns/monkey.ts'
import { run as mutants } from '#tests/campaigns/mutants.ts'
import { checkRelease } from '#tests/campaigns/nightly/release.ts'
import { runNightly } from '#tests/campaigns/nightly/run-nightly.ts'
import { run as outboxModel } from '#tests/campaigns/outbox-model.ts'
import { run as packages } from '#tests/campaigns/packages.ts'
import { run as payments } from '#tests/campaigns/payments.ts'
import { run as pictureFlood } from '#tests/campaigns/picture-flood.ts'
import { run as planted } from '#tests/campaigns/planted.ts'
import { run as proxies } from '#tests/campaigns/proxies.ts'
import { run as recipes } from '#tests/campaigns/recipes.ts'
import { run as reproducible } from '#tests/campaigns/reproducible.ts'
import { run as saved } from '#tests/campaigns/saved.ts'
import { run as services } from '#tests/campaigns/services.ts'
import { run as signInFlood } from '#tests/campaigns/sign-in-flood.ts'
import { run as suite } from '#tests/campaigns/suite.ts'
import { run as uploadFlood } from '#tests/campaigns/upload-flood.ts'
import { run as workerLife } from '#tests/campaigns/worker-life.ts'
import { endDescendantsOnSignal } from '#tests/support/runner/processes.ts'

const [, , id = '', ...args] = process.argv

const campaigns: Record<string, (args: string[]) => Promise<void>> = {
  'audit-trail': auditTrail,
  backups,
  bodies,
  browser,
  browsers,
  cluster,
  compose,
  docker,
  judges,
  'kill-writes': killWrites,
  faults,
  fees,
  histories,
  'invitation-flood': invitationFlood,
  lighthouse,
  money,
  monkey,
  mutants,
  nightly: runNightly,
  'outbox-model': outboxModel,
  packages,
  payments,
  'picture-flood': pictureFlood,
  planted,
  proxies,
  recipes,
  release: checkRelease,
  reproducible,
  saved,
  services,
  'sign-in-flood': signInFlood,
  suite,
  'upload-flood': uploadFlood,
  'worker-life': workerLife,
}

const campaign = campaigns[id]
if (campaign) {
  endDescendantsOnSignal()
  await campaign(args)
} else {
  console.error(`The campaign "${id}" does not exist. Campaigns: ${Object.keys(campaigns).join(', ')}.`)
  process.exitCode = 1
}
