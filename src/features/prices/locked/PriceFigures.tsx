import type { ReactNode } from 'react'
import { groupThousands } from '#domain/money.ts'
import { type CurrencyTexts, priceCurrencies } from '#features/prices/price-list-form.ts'

interface FigureRow {
  key: string | number
  label: ReactNode
  prices: CurrencyTexts
}

interface Props {
  name: string
  /** Header of the first column. */
  header: string
  rows: readonly FigureRow[]
}

/** Table of amounts in each currency, for lists whose prices cannot be changed. */
export function PriceFigures({ name, header, rows }: Props) {
  return (
    <div className="price-scroll">
      <table className="price-figures price-locked" aria-label={name}>
        <thead>
          <tr>
            <th scope="col">{header}</th>
            {priceCurrencies.map((currency) => (
              <th key={currency} scope="col">
                {currency.toUpperCase()}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, label, prices }) => (
            <tr key={key}>
              <th scope="row">{label}</th>
              {priceCurrencies.map((currency) => (
                <td key={currency}>{groupThousands(prices[currency])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
