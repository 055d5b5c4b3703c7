/** Lists the bugs of `npm run campaign -- planted`. */
import type { PlantedBug } from '#tests/campaigns/planted/bug.ts'
import { deviceBugs } from '#tests/campaigns/planted/device.ts'
import { inputBugs } from '#tests/campaigns/planted/input.ts'
import { moneyBugs } from '#tests/campaigns/planted/money.ts'
import { serverBugs } from '#tests/campaigns/planted/server.ts'

export const plantedBugs: readonly PlantedBug[] = [...serverBugs, ...moneyBugs, ...inputBugs, ...deviceBugs]
