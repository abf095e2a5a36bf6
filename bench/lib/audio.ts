import { Agent, request } from 'node:http';
import { wavHeader } from '@regie/api/demo/demo-audio.ts';
import { audioChunkBytes } from '@regie/contract/audio.ts';
import { median } from './lists.ts';
import type { Client } from './world.ts';

/** An incompressible WAV of about this many bytes. */
function inventWav(sizeBytes: number): Buffer {
  const file = Buffer.allocUnsafe(44 + Math.floor((sizeBytes - 44) / 4) * 4);
  for (let at = 44, state = 1; at < file.length; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    file.writeInt32LE(state >> 1, at);
  }
  wavHeader(file.length - 44).copy(file);
  return file;
}

/** A keep-alive connection, like a browser's. */
function createSender(client: Client) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = (path: string, headers: Record<string, string>, parts: readonly Buffer[]) =>
    new Promise<string>((resolve, reject) => {
      const length = parts.reduce((sum, part) => sum + part.length, 0);
      const call = request(
        `${client.address}/api${path}`,
        { method: 'PUT', agent, headers: { ...client.headers, ...headers, 'content-length': length } },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8');
          answer.on('data', (piece: string) => {
            text += piece;
          });
          answer.on('end', () => {
            if (answer.statusCode === 200) resolve(text);
            else reject(new Error(`${path} answered ${answer.statusCode}: ${text}`));
          });
        },
      );
      call.on('error', reject);
      for (const part of parts) call.write(part);
      call.end();
    });
  return { send, close: () => agent.destroy() };
}

const boundary = 'a-line-that-no-sample-holds';
const formHead = Buffer.from(
  `--${boundary}\r\ncontent-disposition: form-data; name="track"; filename="chunk"\r\ncontent-type: application/octet-stream\r\n\r\n`,
);
const formEnd = Buffer.from(`\r\n--${boundary}--\r\n`);

/**
 * Median seconds to upload a WAV in chunks until it is verified and stored, and to send the same bytes in one stream to
 * the same storage with the same session check, alternating.
 */
export async function compareAudioUploads(
  client: Client,
  sizeBytes: number,
  rounds: number,
): Promise<[number, number]> {
  const file = inventWav(sizeBytes);
  const sender = createSender(client);
  const sendChunk = (round: number, start: number) =>
    sender.send(
      `/tracks/${round + 1}/edit/audio`,
      {
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'x-file-start': String(start),
        'x-file-name': 'bench.wav',
        'x-file-size': String(file.length),
      },
      [formHead, file.subarray(start, start + audioChunkBytes), formEnd],
    );
  // Like the interface.
  const inChunks = async (round: number) => {
    let answer = '';
    for (let start = 0; start < file.length; start += audioChunkBytes) answer = await sendChunk(round, start);
    if (!answer.includes('"done":true')) throw new Error(answer);
  };
  const inOne = async () => {
    await sender.send('/bench/store', { 'content-type': 'application/octet-stream' }, [file]);
  };
  const timed = async (run: () => Promise<void>) => {
    const start = performance.now();
    await run();
    return (performance.now() - start) / 1000;
  };
  const chunked: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    plain.push(await timed(inOne));
    chunked.push(await timed(() => inChunks(round)));
  }
  sender.close();
  return [median(chunked), median(plain)];
}
