/** `npm run campaign -- <id> [arguments]`: what takes longer than the tests may. */
import { run as faults } from '#tests/campaigns/faults.ts'
import { run as fees } from '#tests/campaigns/fees.ts'
import { run as killWrites } from '#tests/campaigns/kill-writes.ts'
import { run as mutants } from '#tests/campaigns/mutants.ts'
import { run as outboxModel } from '#tests/campaigns/outbox-model.ts'
import { run as payments } from '#tests/campaigns/payments.ts'
import { run as saved } from '#tests/campaigns/saved.ts'
import { run as workerLife } from '#tests/campaigns/worker-life.ts'

const [, , id = '', ...args] = process.argv

const campaigns: Record<string, (args: string[]) => Promise<void>> = {
  'kill-writes': killWrites,
  faults,
  fees,
  mutants,
  'outbox-model': outboxModel,
  payments,
  saved,
  'worker-life': workerLife,
}

const campaign = campaigns[id]
if (campaign) {
  await campaign(args)
} else {
  console.error(`There is no campaign "${id}". There are: ${Object.keys(campaigns).join(', ')}.`)
  process.exitCode = 1
}
