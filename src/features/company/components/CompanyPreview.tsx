import { buildAddressLines } from '#domain/accounts/company-address.ts'
import type { CompanyProfile } from '#domain/accounts/company-fields.ts'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { getNameLang } from '#ui/i18n/name-language.ts'
import { NoValue } from '#ui/list/NoValue.tsx'
import { TitledCard } from '#ui/page/TitledCard.tsx'
import { useTranslation } from 'react-i18next'

interface CompanyPreviewProps {
  code: string
  /** The values of the form, also before they are saved. */
  fields: CompanyProfile
}

/** Shows the company as contracts and invoices print it (`renderParty` on the server). Empty values are left out there too. */
export function CompanyPreview({ code, fields }: CompanyPreviewProps) {
  const { t } = useTranslation('company')
  const { name, country, tax_number, tel, email, website } = fields
  const addressLines = buildAddressLines(fields, country && t(`preview.country.${country}`))
  const facts = [
    [t('form.code'), code],
    [t('form.tax_number'), tax_number],
    [t('form.tel'), tel],
    [t('form.email'), email],
    [t('form.website'), website],
  ] as const
  return (
    <TitledCard title={t('preview.title')} className="company-preview">
      <p className="field-help">{t('preview.text')}</p>
      <div className="company-paper">
        <p className="company-role">{t('preview.role')}</p>
        <p>
          <strong lang={getNameLang(name)}>{name || <NoValue />}</strong>
          {addressLines.map((line, index) => (
            <span key={`${index} ${line}`}>{line}</span>
          ))}
        </p>
        <DescriptionList>
          {facts
            .filter(([, value]) => value)
            .map(([label, value]) => (
              <DescriptionItem key={label} label={label}>
                {value}
              </DescriptionItem>
            ))}
        </DescriptionList>
      </div>
    </TitledCard>
  )
}
