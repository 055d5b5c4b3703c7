import { useEffect } from 'react'
import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useTranslation } from 'react-i18next'
import { afterEach, expect, it } from 'vitest'
import { i18n } from '#ui/i18n/messages.ts'

let renderCount = 0

function TestForm() {
  const { t } = useTranslation('about')
  useEffect(() => void (renderCount += 1))
  return (
    <label>
      {t('title')}
      <input />
    </label>
  )
}

afterEach(cleanup)

it('A page renders with late messages and a new language, and keeps its input', async () => {
  render(<TestForm />)
  await userEvent.setup().type(screen.getByLabelText('title'), 'Ada')
  act(() => void i18n.addResourceBundle('en', 'about', { title: 'About <i>' }))
  expect(screen.getByLabelText<HTMLInputElement>('About <i>').value).toBe('Ada')
  const countBefore = renderCount
  act(() => void i18n.addResourceBundle('zh', 'about', { title: '关于' }, false, true, { silent: true }))
  expect(renderCount).toBe(countBefore)
  await act(() => i18n.changeLanguage('zh'))
  expect(screen.getByLabelText<HTMLInputElement>('关于').value).toBe('Ada')
})

it('A page does not render again for messages that it does not use', async () => {
  i18n.addResourceBundle('en', 'about', { title: 'About' })
  await i18n.changeLanguage('en')
  render(<TestForm />)
  const countBefore = renderCount
  act(() => void i18n.addResourceBundle('en', 'people', { title: 'People' }))
  expect(renderCount).toBe(countBefore)
})
