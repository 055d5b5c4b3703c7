import { useId } from 'react'
import { type ClientType, getClientType, clientTypes } from '#domain/access.ts'
import { chooseClientType, useClientType } from '#state/client-type.ts'
import { Select } from '#ui/form/Select.tsx'
import { useTranslation } from 'react-i18next'

const names: Record<ClientType, string> = { saas: 'SaaS', mma: 'MMA' }

/** Selects the client type above each page that depends on it (portal 1, M3). */
export function ClientTypeSelect() {
  const { t } = useTranslation('staff')
  const id = useId()
  const currentType = useClientType(getClientType)
  const choose = (value: string) => {
    const type = clientTypes.find((clientType) => clientType === value)
    if (type) chooseClientType(type)
  }
  return (
    <section className="update" aria-label={t('clientType.label')}>
      <label htmlFor={id}>{t('clientType.label')}</label>
      <Select id={id} value={currentType} onChange={({ target }) => choose(target.value)}>
        {clientTypes.map((type) => (
          <option key={type} value={type}>
            {names[type]}
          </option>
        ))}
      </Select>
      <p>{t('clientType.help')}</p>
    </section>
  )
}
