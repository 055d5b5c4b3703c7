/**
 * Reads an image from standard input and writes a square image to standard output. An exit code other than 0 means that the image is
 * refused. Arguments: format, width and height from the file's header.
 */
import { buffer } from 'node:stream/consumers'
import { ResizeFit, Transformer } from '@napi-rs/image'
import { avatarSide } from '#domain/images.ts'

const quality = 85
const [format, width, height] = process.argv.slice(2)

const file = await buffer(process.stdin)
const metadata = await new Transformer(file).metadata(true)
// The image must match its header, against which the limits were checked. This also refuses files that are valid in two formats.
if (`${metadata.format} ${metadata.width} ${metadata.height}` !== `${format} ${width} ${height}`) process.exit(1)
const picture = new Transformer(file)
if (metadata.orientation !== undefined && metadata.orientation > 1) picture.rotate(metadata.orientation)
// Scales the shorter side to the square. The aspect ratio was checked, so the longer side stays small.
const bytes = await picture.resize({ width: avatarSide, height: avatarSide, fit: ResizeFit.Cover }).webp(quality)
process.stdout.write(bytes)
