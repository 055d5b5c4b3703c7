import { useState } from 'react'
import { avatarSide } from '#domain/images.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { CropArea } from '#features/profile/components/CropArea.tsx'
import { type PictureCrop, maxZoom, getCropSide, createFullCrop, zoomCrop } from '#features/profile/crop.ts'

interface CropDialogProps {
  /** The image must already be decoded. */
  image: HTMLImageElement
  onUse: (picture: File) => void
  onClose: () => void
}

export function CropDialog({ image, onUse, onClose }: CropDialogProps) {
  const { t } = useTranslation('profile')
  const size = { width: image.naturalWidth, height: image.naturalHeight }
  const [crop, setCrop] = useState<PictureCrop>(() => createFullCrop(size))
  const [isBusy, setIsBusy] = useState(false)
  async function handleUse() {
    setIsBusy(true)
    const picture = await cropImage(image, crop)
    setIsBusy(false)
    if (picture) onUse(picture)
  }
  const applyButton = (
    <Button kind="primary" isBusy={isBusy} onClick={() => void handleUse()}>
      {t('crop.use')}
    </Button>
  )
  return (
    <Dialog open title={t('crop.title')} onClose={onClose} action={applyButton}>
      <div className="crop">
        <CropArea src={image.src} size={size} crop={crop} onCrop={setCrop} />
        <label className="crop-zoom">
          <span>{t('crop.zoom')}</span>
          <input
            type="range"
            min={1}
            max={maxZoom}
            step={0.05}
            value={crop.zoom}
            onChange={(event) => setCrop(zoomCrop(size, crop, Number(event.target.value)))}
          />
        </label>
      </div>
    </Dialog>
  )
}

/** Returns the selected part as a new picture, so that only this part leaves the device. Null if the browser cannot draw it. */
async function cropImage(image: HTMLImageElement, crop: PictureCrop): Promise<File | null> {
  const side = getCropSide({ width: image.naturalWidth, height: image.naturalHeight }, crop)
  const canvas = document.createElement('canvas')
  canvas.width = avatarSide
  canvas.height = avatarSide
  const context = canvas.getContext('2d')
  context?.drawImage(image, crop.x - side / 2, crop.y - side / 2, side, side, 0, 0, avatarSide, avatarSide)
  // A browser that cannot write WebP writes PNG instead, and sets the type accordingly.
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/webp', 0.92))
  return blob && new File([blob], blob.type === 'image/webp' ? 'avatar.webp' : 'avatar.png', { type: blob.type })
}
