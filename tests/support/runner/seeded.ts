/** Sets the suite's seed for every property test that does not set its own. */
import * as fc from 'fast-check'
import { suiteSeed } from '#tests/support/runner/random.ts'

fc.configureGlobal({ seed: suiteSeed })
