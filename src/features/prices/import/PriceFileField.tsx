import { useId } from 'react'
import { isPriceFileName } from '#domain/checks/price-file-checks.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

interface Props {
  fileName: string | null
  refusalText: string | null
  onFile: (file: File) => void
}

export function PriceFileField({ fileName, refusalText, onFile }: Props) {
  const { t } = useTranslation('prices')
  const faultId = useId()
  const hasWrongEnding = fileName !== null && !isPriceFileName(fileName)
  const faultText = hasWrongEnding ? t('fault.wrongEnding') : refusalText
  return (
    <div className={faultText ? 'field wrong' : 'field'}>
      <label className="button quiet price-file">
        <Icon name="upload" />
        <span className="button-words">{t(fileName === null ? 'import.file' : 'import.another')}</span>
        <input
          type="file"
          className="sr-only"
          accept=".zip"
          aria-invalid={faultText ? true : undefined}
          aria-describedby={faultText ? faultId : undefined}
          onChange={({ target }) => {
            const file = target.files?.[0]
            if (file) onFile(file)
            // Cleared, so that the same file can be selected again after it was corrected.
            target.value = ''
          }}
        />
      </label>
      {fileName !== null && <span className="price-sub">{fileName}</span>}
      {faultText && (
        <p className="field-error" id={faultId} role="alert">
          <Icon name="alert" size={16} />
          {faultText}
        </p>
      )}
    </div>
  )
}
