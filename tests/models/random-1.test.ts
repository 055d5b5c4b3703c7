import { it } from 'vitest'
import { liveSome } from '#tests/models/random.ts'

it('accepted means done once, in order, for its user, through random histories (1 of 4)', () => liveSome(1), 360_000)
