import { it } from 'vitest'
import { liveSome } from '#tests/models/random.ts'

it('accepted means done once, in order, for its user, through random histories (2 of 4)', () => liveSome(2), 360_000)
