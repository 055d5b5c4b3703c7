/** Tests the selection of modules by their dependencies (contracts 2, T6, T7). */
import { describe, expect, it } from 'vitest'
import { selectModule, deselectModule } from '#domain/catalogue/modules.ts'

const catalogue = [
  { code: 'core', dependencies: [] },
  { code: 'fin', dependencies: ['core'] },
  { code: 'scm', dependencies: ['fin'] },
  { code: 'hr', dependencies: ['core'] },
]

describe('Selection of modules', () => {
  it('Selecting a module also selects its direct and indirect dependencies (T6)', () => {
    expect(selectModule(catalogue, [], 'scm')).toEqual({
      selectedCodes: ['core', 'fin', 'scm'],
      alsoChangedCodes: ['fin', 'core'],
    })
  })

  it('Selecting a module does not report dependencies that are already selected', () => {
    expect(selectModule(catalogue, ['core', 'fin'], 'scm')).toEqual({
      selectedCodes: ['core', 'fin', 'scm'],
      alsoChangedCodes: [],
    })
  })

  it('Deselecting a module also deselects all modules that depend on it (T7)', () => {
    const { selectedCodes, alsoChangedCodes } = deselectModule(catalogue, ['core', 'fin', 'scm', 'hr'], 'core')
    expect([selectedCodes, alsoChangedCodes.toSorted()]).toEqual([[], ['fin', 'hr', 'scm']])
  })

  it('Deselecting a module does not report modules that were not selected', () => {
    expect(deselectModule(catalogue, ['core', 'hr'], 'core')).toEqual({ selectedCodes: [], alsoChangedCodes: ['hr'] })
    expect(deselectModule(catalogue, ['core', 'hr'], 'hr')).toEqual({ selectedCodes: ['core'], alsoChangedCodes: [] })
  })

  it('Dependencies in a cycle or on an unknown module do not cause an endless loop', () => {
    const loopedModules = [
      { code: 'a', dependencies: ['b'] },
      { code: 'b', dependencies: ['a', 'gone'] },
    ]
    expect(selectModule(loopedModules, [], 'a')).toEqual({ selectedCodes: ['a', 'b'], alsoChangedCodes: ['b'] })
    expect(deselectModule(loopedModules, ['a', 'b'], 'b')).toEqual({ selectedCodes: [], alsoChangedCodes: ['a'] })
  })
})
