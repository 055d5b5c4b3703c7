import type { ServiceRow } from '#contract/services.ts'
import { Fact, Facts } from '#ui/display/DescriptionList.tsx'
import { WebAddress } from '#ui/display/WebAddress.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'

type Addressed = Pick<ServiceRow, 'code' | 'url' | 'admin_url'>

/** Where a system that is set up can be reached. */
export function Addresses({ row: { url, admin_url: adminUrl } }: { row: Addressed }) {
  const { t } = useTranslation('services')
  return (
    <Facts>
      <Fact label={t('panel.url')}>
        <WebAddress to={url} none={t('panel.noAddress')} />
      </Fact>
      <Fact label={t('panel.admin')}>
        <WebAddress to={adminUrl} none={t('panel.noAddress')} />
      </Fact>
    </Facts>
  )
}

/** The info button of a row (M111). */
export function AddressDialog({ row, onClose }: { row: Addressed; onClose: () => void }) {
  const { t } = useTranslation('services')
  return (
    <Dialog open title={t('info.title', { code: row.code })} onClose={onClose}>
      <Addresses row={row} />
    </Dialog>
  )
}
