import { afterEach, describe, expect, test } from 'vitest'
import { localProblem } from '#contract/problem.ts'
import en from '#locales/en/problem.json' with { type: 'json' }
import zh from '#locales/zh/problem.json' with { type: 'json' }
import { addTexts, showLanguage } from '#ui/texts.ts'
import { problemWords } from '#ui/words.ts'

addTexts('en', 'problem', en)
addTexts('zh', 'problem', zh)
afterEach(() => showLanguage('en'))

const locked = (data: unknown) => problemWords({ ...localProblem('RESOURCE_LOCKED'), data })

describe('a problem in words (M48)', () => {
  test('names who and what where the server said so', () => {
    expect(locked({ user: 'Li Wei', action: 'a backup' })).toBe('Li Wei is doing a backup, please try again later.')
  })

  test('is a whole sentence where nothing came with the code, as out of an address', () => {
    for (const data of [null, {}, { user: 'Li Wei' }, 'text'])
      expect(locked(data)).toBe('This is not possible right now. Please try again later.')
    showLanguage('zh')
    expect(locked(null)).toBe('暂时无法操作，请稍后再试。')
  })
})
