import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { parseWholeNumber } from '#features/prices/parse-numbers.ts'
import { priceCurrencies, type RangeRow } from '#features/prices/price-list-form.ts'

const maxUsers = 999_999

export function PriceTableHead({ children }: { children: ReactNode }) {
  const { t } = useTranslation('prices')
  return (
    <div role="rowgroup">
      <div role="row" className="price-head">
        {children}
        {priceCurrencies.map((charge) => (
          <span key={charge} role="columnheader" className="figure">
            {charge.toUpperCase()}
          </span>
        ))}
        <span role="columnheader" aria-label={t('tier.acts')} />
      </div>
    </div>
  )
}

/** Icon button in a row. It has no tooltip component, unlike a page's button, because there may be a thousand rows. */
export function RowButton({ icon, children, onClick }: { icon: IconName; children: string; onClick: () => void }) {
  return (
    <button
      type="button"
      className="button quiet bare price-row-button"
      title={children}
      aria-label={children}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
}

export const getProblemId = (id: string, problemTexts: Record<string, string> | undefined, column: string) =>
  problemTexts?.[column] ? id : undefined

/** Error text below the row, in full width, because a cell is too narrow for a sentence. */
export function RowProblems({ id, problemTexts }: { id: string; problemTexts: Record<string, string> }) {
  return (
    <span role="cell" className="price-wrong">
      <span className="field-error" id={id}>
        <Icon name="alert" size={16} />
        {[...new Set(Object.values(problemTexts))].join(' ')}
      </span>
    </span>
  )
}

/** Marks a row that the list did not have before editing. */
export function AddedMark() {
  const { t } = useTranslation('prices')
  return <span className="price-added">{t('change.added')}</span>
}

/** Shows up to how many users can be ordered, if the last range ends below the maximum (D3). */
export function RangeLimitNote({ rows }: { rows: readonly RangeRow[] }) {
  const { t } = useTranslation('prices')
  const lastUsers = Math.max(0, ...rows.map(({ to }) => parseWholeNumber(to) ?? 0))
  if (lastUsers === 0 || lastUsers >= maxUsers) return null
  return (
    <p className="price-note">
      <Icon name="info" size={16} />
      {t('tier.open', { last: formatNumber(lastUsers), next: formatNumber(lastUsers + 1) })}
    </p>
  )
}
