import type { OrderRow } from '#contract/orders.ts'
import { joined } from '#domain/modules.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { Fact, Facts } from '#ui/display/DescriptionList.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import type { ModuleInfo } from '#features/orders/quote/local-quote.ts'

/** What was agreed (M98); while it is edited, what stays as it is. The expiry is the last day, as it comes; nothing is taken from it here (D18). */
export function Terms({ row, modules, editing }: { row: OrderRow; modules: readonly ModuleInfo[]; editing: boolean }) {
  const { t } = useTranslation('contract')
  const { t: orders } = useTranslation('orders')
  const { t: wizard } = useTranslation('wizard')
  return (
    <div className="order-sides">
      <section className="card" aria-labelledby="order-facts">
        <h2 id="order-facts">{t('facts')}</h2>
        <Facts>
          <Fact label={t('field.code')}>
            <CopyText text={row.code} />
          </Fact>
          <Fact label={t('field.name')}>{row.name}</Fact>
          {row.desc && <Fact label={t('field.desc')}>{row.desc}</Fact>}
          <Fact label={t('field.contract')}>{row.contract ? <CopyText text={row.contract} /> : t('noContract')}</Fact>
          <Fact label={t('field.type')}>{orders(`type.${row.type}`)}</Fact>
          <Fact label={t('field.payAmount')}>
            {row.pay_amount === null ? '–' : <Amount currency={row.currency} amount={row.pay_amount} />}
          </Fact>
          <Fact label={t('field.currency')}>{row.currency}</Fact>
          <Fact label={t('field.period')}>{t('years', { count: row.period })}</Fact>
          <Fact label={t('field.start')}>{row.period_start}</Fact>
          <Fact label={t('field.expires')}>{row.expired_date}</Fact>
          <Fact label={t('field.created')}>{row.create_time || '–'}</Fact>
          {row.alert_date && <Fact label={t('field.alert')}>{row.alert_date}</Fact>}
        </Facts>
      </section>
      {!editing && (
        <section className="card" aria-labelledby="order-users">
          <h2 id="order-users">{t('usersAndModules')}</h2>
          <Facts>
            <Fact label={t('field.mode')}>{wizard(`mode.${row.user_mode}`)}</Fact>
            <Fact label={t('field.users')}>{number(row.users)}</Fact>
            <Fact label={t('field.uat')}>{t(row.uat === 1 ? 'uat.yes' : 'uat.no')}</Fact>
          </Facts>
          <h3>{t('modules', { count: row.modules.length })}</h3>
          <Modules codes={row.modules} modules={modules} />
        </section>
      )}
    </div>
  )
}

/** With those that come along by themselves and cost nothing (D5). */
function Modules({ codes, modules }: { codes: readonly string[]; modules: readonly ModuleInfo[] }) {
  const { t } = useTranslation('contract')
  const names = new Map(modules.map(({ code, name }) => [code, name]))
  const joining = joined(
    modules.filter(({ hidden }) => hidden),
    codes,
  )
  return (
    <ul className="order-modules">
      {codes.map((code) => (
        <li key={code}>
          <span>{names.get(code) ?? code}</span>
          <code>{code}</code>
        </li>
      ))}
      {joining.map(({ code, name }) => (
        <li key={code} className="joining">
          <span>{name}</span>
          <span>{t('joins')}</span>
        </li>
      ))}
    </ul>
  )
}
