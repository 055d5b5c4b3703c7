/**
 * Creates the buckets of an installation, unless they exist: `node create-buckets.mjs NAME...`. Reads S3_ENDPOINT, S3_REGION and
 * AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the files that AWS_ACCESS_KEY_ID_FILE and AWS_SECRET_ACCESS_KEY_FILE name. Exits with
 * code 1 if a bucket cannot be created.
 */
import { readFileSync } from 'node:fs'
import { BucketAlreadyExists, BucketAlreadyOwnedByYou, CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'

const { env } = process
const readSecret = (name) => env[name] || readFileSync(env[`${name}_FILE`] ?? '', 'utf8').trim()

const client = new S3Client({
  endpoint: env.S3_ENDPOINT,
  region: env.S3_REGION || 'us-east-1',
  forcePathStyle: true,
  credentials: { accessKeyId: readSecret('AWS_ACCESS_KEY_ID'), secretAccessKey: readSecret('AWS_SECRET_ACCESS_KEY') },
})

for (const name of process.argv.slice(2)) {
  try {
    await client.send(new CreateBucketCommand({ Bucket: name }))
    console.log(`Created the bucket ${name}.`)
  } catch (error) {
    const exists = error instanceof BucketAlreadyOwnedByYou || error instanceof BucketAlreadyExists
    if (exists) {
      console.log(`The bucket ${name} exists.`)
    } else {
      console.error(`Could not create the bucket ${name}: ${String(error)}`)
      process.exitCode = 1
    }
  }
}
