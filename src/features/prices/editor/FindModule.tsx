import { useState } from 'react'
import { foldText } from '#domain/text.ts'
import { useTranslation } from 'react-i18next'
import type { ModuleRow } from '#features/prices/price-list-form.ts'

/** Goes to the row of a module by its code or name on Enter: what stands in a field is not found by the browser. */
export function FindModule({ rows, names }: { rows: readonly ModuleRow[]; names: ReadonlyMap<string, string> }) {
  const { t } = useTranslation('prices')
  const [text, setText] = useState('')
  const wanted = foldText(text)
  const isFound = ({ code }: ModuleRow) => foldText(`${code} ${names.get(code.trim()) ?? ''}`).includes(wanted)
  const found = wanted === '' ? [] : rows.filter(isFound)
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
          cells?.[rows.findIndex(isFound)]?.focus()
        }}
      />
      <span role="status">{wanted !== '' && t('module.found', { count: found.length })}</span>
    </div>
  )
}
