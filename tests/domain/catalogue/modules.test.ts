/** Choosing modules by what they need (contracts 2, T6, T7). */
import { describe, expect, it } from 'vitest'
import { chooseModule, dropModule } from '#domain/catalogue/modules.ts'

const catalogue = [
  { code: 'core', dependencies: [] },
  { code: 'fin', dependencies: ['core'] },
  { code: 'scm', dependencies: ['fin'] },
  { code: 'hr', dependencies: ['core'] },
]

describe('a module', () => {
  it('brings what it needs, and what that needs (T6)', () => {
    expect(chooseModule(catalogue, [], 'scm')).toEqual({ chosen: ['core', 'fin', 'scm'], along: ['fin', 'core'] })
  })

  it('brings nothing that is there', () => {
    expect(chooseModule(catalogue, ['core', 'fin'], 'scm')).toEqual({ chosen: ['core', 'fin', 'scm'], along: [] })
  })

  it('takes along what needs it, and what needs that (T7)', () => {
    const { chosen, along } = dropModule(catalogue, ['core', 'fin', 'scm', 'hr'], 'core')
    expect([chosen, along.toSorted()]).toEqual([[], ['fin', 'hr', 'scm']])
  })

  it('takes along nothing that was not chosen', () => {
    expect(dropModule(catalogue, ['core', 'hr'], 'core')).toEqual({ chosen: [], along: ['hr'] })
    expect(dropModule(catalogue, ['core', 'hr'], 'hr')).toEqual({ chosen: ['core'], along: [] })
  })

  it('in a loop, or with a need that nobody knows, comes to an end', () => {
    const loop = [
      { code: 'a', dependencies: ['b'] },
      { code: 'b', dependencies: ['a', 'gone'] },
    ]
    expect(chooseModule(loop, [], 'a')).toEqual({ chosen: ['a', 'b'], along: ['b'] })
    expect(dropModule(loop, ['a', 'b'], 'b')).toEqual({ chosen: [], along: ['a'] })
  })
})
