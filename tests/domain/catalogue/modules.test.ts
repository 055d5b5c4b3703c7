/** Choosing modules by what they need (contracts 2, T6, T7). */
import { describe, expect, it } from 'vitest'
import { selectModule, deselectModule } from '#domain/catalogue/modules.ts'

const catalogue = [
  { code: 'core', dependencies: [] },
  { code: 'fin', dependencies: ['core'] },
  { code: 'scm', dependencies: ['fin'] },
  { code: 'hr', dependencies: ['core'] },
]

describe('a module', () => {
  it('brings what it needs, and what that needs (T6)', () => {
    expect(selectModule(catalogue, [], 'scm')).toEqual({
      selectedCodes: ['core', 'fin', 'scm'],
      alsoChangedCodes: ['fin', 'core'],
    })
  })

  it('brings nothing that is there', () => {
    expect(selectModule(catalogue, ['core', 'fin'], 'scm')).toEqual({
      selectedCodes: ['core', 'fin', 'scm'],
      alsoChangedCodes: [],
    })
  })

  it('takes along what needs it, and what needs that (T7)', () => {
    const { selectedCodes, alsoChangedCodes } = deselectModule(catalogue, ['core', 'fin', 'scm', 'hr'], 'core')
    expect([selectedCodes, alsoChangedCodes.toSorted()]).toEqual([[], ['fin', 'hr', 'scm']])
  })

  it('takes along nothing that was not chosen', () => {
    expect(deselectModule(catalogue, ['core', 'hr'], 'core')).toEqual({ selectedCodes: [], alsoChangedCodes: ['hr'] })
    expect(deselectModule(catalogue, ['core', 'hr'], 'hr')).toEqual({ selectedCodes: ['core'], alsoChangedCodes: [] })
  })

  it('in a loop, or with a need that nobody knows, comes to an end', () => {
    const loopedModules = [
      { code: 'a', dependencies: ['b'] },
      { code: 'b', dependencies: ['a', 'gone'] },
    ]
    expect(selectModule(loopedModules, [], 'a')).toEqual({ selectedCodes: ['a', 'b'], alsoChangedCodes: ['b'] })
    expect(deselectModule(loopedModules, ['a', 'b'], 'b')).toEqual({ selectedCodes: [], alsoChangedCodes: ['a'] })
  })
})
