/** `npm run campaign -- <id> [arguments]`: what takes longer than the tests may. */
import { run as faults } from '#tests/campaigns/faults.ts'
import { run as killWrites } from '#tests/campaigns/kill-writes.ts'

const [, , id = '', ...args] = process.argv

const campaigns: Record<string, (args: string[]) => Promise<void>> = { 'kill-writes': killWrites, faults }

const campaign = campaigns[id]
if (campaign) {
  await campaign(args)
} else {
  console.error(`There is no campaign "${id}". There are: ${Object.keys(campaigns).join(', ')}.`)
  process.exitCode = 1
}
