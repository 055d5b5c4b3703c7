import { type DragEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '#ui/icons/Icon.tsx'

interface StatementDropProps {
  fileName: string | null
  faultText: string | null
  /** True while the chosen file is imported. */
  isDisabled: boolean
  onFile: (file: File) => void
}

/** Takes one file by drag and drop or by a button. */
export function StatementDrop({ fileName, faultText, isDisabled, onFile }: StatementDropProps) {
  const { t } = useTranslation('bank-transfers')
  const faultId = useId()
  const [isDraggedOver, setIsDraggedOver] = useState(false)
  const handleDrag = (event: DragEvent) => {
    event.preventDefault()
    setIsDraggedOver(!isDisabled)
  }
  const handleDrop = (event: DragEvent) => {
    event.preventDefault()
    setIsDraggedOver(false)
    const file = event.dataTransfer.files[0]
    if (file && !isDisabled) onFile(file)
  }
  return (
    <div className={faultText ? 'field wrong' : 'field'}>
      <section
        className={`money-drop${isDraggedOver ? ' over' : ''}`}
        aria-label={t('import.zone')}
        onDragEnter={handleDrag}
        onDragOver={handleDrag}
        onDragLeave={({ currentTarget, relatedTarget }) =>
          !currentTarget.contains(relatedTarget as Node | null) && setIsDraggedOver(false)
        }
        onDrop={handleDrop}
      >
        <p>{fileName ?? t('import.drop')}</p>
        <label className="button quiet money-file">
          <Icon name="upload" />
          <span className="button-words">{t(fileName === null ? 'import.file' : 'import.another')}</span>
          <input
            type="file"
            name="statement"
            className="sr-only"
            disabled={isDisabled}
            accept=".csv,.xml,.txt,text/csv,text/xml,application/xml"
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
      </section>
      {faultText && (
        <p className="field-error" id={faultId} role="alert">
          <Icon name="alert" size={16} />
          {faultText}
        </p>
      )}
    </div>
  )
}
