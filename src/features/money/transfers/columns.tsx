import type { TFunction } from 'i18next'
import { Link } from 'react-router-dom'
import type { BankTransferRow, TransferProposal } from '#contract/staff/bank-transfers.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { Tag, type TagTone } from '#ui/display/Tag.tsx'
import { getNameLang } from '#ui/i18n/name-language.ts'
import type { ListColumn } from '#ui/list/column.ts'

type Translate = TFunction<'bank-transfers'>
type TransferColumn = ListColumn<BankTransferRow>

/** Returns the name of a transfer for screen readers: "Acme Ltd, HKD 1,200.00". */
export const formatTransferName = ({ currency, amount, sender }: BankTransferRow): string =>
  `${sender}, ${formatAmount(currency, amount)}`

/** On a phone an open transfer has no date, because its button needs the space. */
const buildFirstColumns = (t: Translate, hasPhoneDate: boolean): TransferColumn[] => [
  {
    key: 'sender',
    header: t('field.sender'),
    lines: 2,
    phone: 'primary',
    render: ({ sender }) => (
      <span title={sender} lang={getNameLang(sender)}>
        {sender}
      </span>
    ),
  },
  {
    key: 'day',
    header: t('field.day'),
    format: 'date',
    ...(hasPhoneDate ? { phone: 'secondary' as const } : {}),
    getValue: ({ day }) => day,
  },
  {
    key: 'reference',
    header: t('field.reference'),
    lines: 2,
    priority: 3,
    render: ({ reference, bank_reference }) => {
      const text = reference || bank_reference
      return <span title={text}>{text}</span>
    },
  },
  {
    key: 'amount',
    header: t('field.amount'),
    format: 'currency',
    phone: 'secondary',
    getValue: ({ currency, amount }) => ({ currency, amount }),
  },
]

export const buildOpenColumns = (t: Translate): TransferColumn[] => [
  ...buildFirstColumns(t, false),
  {
    key: 'proposal',
    header: t('column.proposal'),
    lines: 2,
    phone: 'overline',
    render: ({ proposals: [best] }) => <Proposal t={t} proposal={best} />,
  },
]

function Proposal({ t, proposal }: { t: Translate; proposal: TransferProposal | undefined }) {
  if (!proposal) return <span>{t('column.noProposal')}</span>
  const { company_name: company, items } = proposal
  const text =
    items.length > 0
      ? t('column.pays', { company, codes: [...new Set(items.map(({ service_code: code }) => code))].join(', ') })
      : t('column.becomesCredit', { company })
  return <span title={text}>{text}</span>
}

const stateTones: Record<BankTransferRow['state'], TagTone> = {
  open: 'warning',
  credited: 'positive',
  returned: 'neutral',
  dismissed: 'neutral',
  corrected: 'neutral',
}

export const buildSettledColumns = (t: Translate): TransferColumn[] => [
  ...buildFirstColumns(t, true),
  {
    key: 'about',
    header: t('column.about'),
    lines: 2,
    phone: 'overline',
    render: (row) => <SettledAbout t={t} row={row} />,
  },
  {
    key: 'state',
    header: t('column.state'),
    width: 'tag',
    phone: 'tag',
    render: ({ state }) => <Tag tone={stateTones[state]}>{t(`state.${state}`)}</Tag>,
  },
]

/** The company and its invoices, or why no company got the money. */
function SettledAbout({ t, row }: { t: Translate; row: BankTransferRow }) {
  const { company_id: companyId, company_name: company, invoices, note, return_reference, return_date } = row
  const returned =
    return_reference === null ? null : t('column.returned', { reference: return_reference, day: return_date })
  const details = [returned, invoices.join(', '), note].filter(Boolean).join(' · ')
  return (
    <span title={[company, details].filter(Boolean).join(' · ')}>
      {company !== null && (
        <Link className="money-link" to={`/app/invoice?company=${companyId}`} lang={getNameLang(company)}>
          {company}
        </Link>
      )}
      <span className="money-line">{details}</span>
    </span>
  )
}
