/** Every property test uses the suite's seed, unless it sets its own. */
import * as fc from 'fast-check'
import { suiteSeed } from '#tests/support/runner/random.ts'

fc.configureGlobal({ seed: suiteSeed })
