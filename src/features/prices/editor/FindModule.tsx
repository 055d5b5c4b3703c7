import { useState } from 'react'
import { normaliseText } from '#domain/text.ts'
import { useTranslation } from 'react-i18next'
import type { PriceModuleRow } from '#features/prices/price-list-form.ts'

/** On Enter, moves to a module's row by code or name. The browser's own search does not find text in input fields. */
export function FindModule({
  rows,
  namesByCode,
}: {
  rows: readonly PriceModuleRow[]
  namesByCode: ReadonlyMap<string, string>
}) {
  const { t } = useTranslation('prices')
  const [text, setText] = useState('')
  const searchText = normaliseText(text)
  const isMatch = ({ code }: PriceModuleRow) =>
    normaliseText(`${code} ${namesByCode.get(code.trim()) ?? ''}`).includes(searchText)
  const matches = searchText === '' ? [] : rows.filter(isMatch)
  return (
    <div className="price-find">
      <input
        className="input"
        type="search"
        aria-label={t('module.find')}
        placeholder={t('module.find')}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          const cells = event.currentTarget.form?.querySelectorAll<HTMLInputElement>('.modules [data-cell=hkd]')
          cells?.[rows.findIndex(isMatch)]?.focus()
        }}
      />
      <span role="status">{searchText !== '' && t('module.found', { count: matches.length })}</span>
    </div>
  )
}
