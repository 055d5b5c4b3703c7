/**
 * One picture, in a process of its own: a file on standard input, the square on standard output. Any other end than exit
 * code 0 is a refusal. Takes format, width and height as the file's head says them.
 */
import { buffer } from 'node:stream/consumers'
import { ResizeFit, Transformer } from '@napi-rs/image'
import { avatarSide } from '#domain/images.ts'

const quality = 85
const [format, width, height] = process.argv.slice(2)

const file = await buffer(process.stdin)
const metadata = await new Transformer(file).metadata(true)
// A file that is two things at once is neither, and the limits were held against what its head says.
if (`${metadata.format} ${metadata.width} ${metadata.height}` !== `${format} ${width} ${height}`) process.exit(1)
const picture = new Transformer(file)
if (metadata.orientation !== undefined && metadata.orientation > 1) picture.rotate(metadata.orientation)
// The short side is scaled first; the aspect was checked, so that the long one stays small.
const bytes = await picture.resize({ width: avatarSide, height: avatarSide, fit: ResizeFit.Cover }).webp(quality)
process.stdout.write(bytes)
