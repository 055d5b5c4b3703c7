import { it } from 'vitest'
import { liveSome } from '#tests/models/random.ts'

it('accepted means done once, in order, for its user, through random histories (4 of 4)', () => liveSome(4), 360_000)
